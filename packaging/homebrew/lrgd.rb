# The formula for a tap: brew install ./lrgd.rb
class Lrgd < Formula
  desc "Minimise expensive functions that vary along few directions"
  homepage "URL_OF_THE_RELEASE"
  url "URL_OF_THE_RELEASE"
  version "0.2.0"
  sha256 "SHA256_OF_THE_RELEASE"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "cairo"
  depends_on "jansson"
  depends_on "sqlite"

  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja",
           "-DLRGD_TESTS=OFF", "-DLRGD_BENCH=OFF", "-DLRGD_MPI=OFF",
           *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match "Converged", shell_output(
      "#{bin}/lrgd minimize quadratic --set p=1000 --set rank=5 --quiet",
    )
  end
end
