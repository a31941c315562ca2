// A button on each block of code that copies it: of a transcript the commands,
// without their prompts and without what was printed.
document.addEventListener("DOMContentLoaded", () => {
  const commands = text => {
    const lines = text.split("\n").filter(line => line.startsWith("$ "));
    return lines.map(line => line.slice(2)).join("\n") + "\n";
  };
  const copy = async text => {
    if (navigator.clipboard && window.isSecureContext)
      return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea");  // pages opened as files
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };
  for (const block of document.querySelectorAll("article div.highlight")) {
    const pre = block.querySelector("pre");
    if (!pre) continue;
    const text = pre.textContent;
    const shell = /^\$ /m.test(text);
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", shell ? "Copy the commands" : "Copy the code");
    button.addEventListener("click", async () => {
      await copy(shell ? commands(text) : text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }
});
