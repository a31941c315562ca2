! The sum of squares of three numbers; a worker and a program.
program sphere
  implicit none
  double precision :: x(3)
  integer :: status
  do
    read (*, *, iostat=status) x
    if (status /= 0) exit
    write (*, *) sum(x**2)
    flush (6)
  end do
end program sphere
