"""Mends the theme as Debian 12 packs it.  Its script was left in modules, which
no browser runs as they are linked; its style asks a server for a file of
Debian's, and has lost the rule that follows the reader's wish for dark pages.
Of a theme that has none of these faults nothing is altered."""
import os
import re

NORMALIZE = "/javascript/normalize.css/normalize.css"
IMPORT = re.compile(r'import \w+ from "\./([\w-]+\.js)";\n')
DARK = re.compile(r'body\[data-theme="dark"\] \{([^}]*)\}')


def change(path, how):
    with open(path, encoding="utf-8") as file:
        before = file.read()
    after = how(before)
    if after != before:
        with open(path, "w", encoding="utf-8") as file:
            file.write(after)


def mend_script(text, folder):
    """What is imported defines its name for every script: it goes before."""
    named = IMPORT.match(text)
    if not named:
        return text
    with open(os.path.join(folder, named.group(1)), encoding="utf-8") as file:
        return file.read() + text[named.end():]


def mend_style(text):
    ask = f"@import url({NORMALIZE});"
    if ask in text:
        with open("/usr/share" + NORMALIZE, encoding="utf-8") as file:
            text = text.replace(ask, file.read())
    dark = DARK.search(text)
    if dark and "prefers-color-scheme" not in text:
        text += ('\n@media screen and (prefers-color-scheme: dark) { body:not('
                 f'[data-theme="light"]) {{{dark.group(1)}}} }}\n')
    return text


def mend(static):
    scripts = os.path.join(static, "scripts")
    change(os.path.join(scripts, "furo.js"),
           lambda text: mend_script(text, scripts))
    change(os.path.join(static, "styles", "furo.css"), mend_style)
