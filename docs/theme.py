"""Mends the theme as Debian 12 packs it.  Its script was left in modules, which
no browser runs as they are linked; its style asks a server for a file of
Debian's, and has lost the rule that follows the reader's wish for dark pages.
Of a theme that has none of these faults nothing is altered.  And the search
shows a line of each page it found by asking for the page, which a browser
refuses where pages are files: it gets their texts in a script."""
import html
import json
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


def text_of(page):
    """The words of a page's article, as the search takes them."""
    with open(page, encoding="utf-8") as file:
        found = re.search(r"<article.*?</article>", file.read(), re.S)
    words = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", " ",
                   found.group(0) if found else "", flags=re.S)
    return " ".join(html.unescape(words).split())


def mend_search(folder):
    """Texts of pages in a script of their own, and a search that reads them."""
    texts = {}
    with open(os.path.join(folder, "searchindex.js"), encoding="utf-8") as file:
        names = re.search(r'"?docnames"?: *(\[.*?\])', file.read()).group(1)
    for name in json.loads(names):
        words = html.escape(text_of(os.path.join(folder, name + ".html")))
        texts[name] = f'<div role="main">{words}</div>'
    static = os.path.join(folder, "_static")
    with open(os.path.join(static, "page-texts.js"), "w",
              encoding="utf-8") as file:
        file.write(f"const PAGE_TEXTS = {json.dumps(texts)};\n")
    change(os.path.join(static, "searchtools.js"), lambda text: re.sub(
        r"fetch\(requestUrl\)\s*\.then\(\(responseData\) => "
        r"responseData\.text\(\)\)",
        "Promise.resolve(PAGE_TEXTS[docName])", text))
    change(os.path.join(folder, "search.html"), lambda text: re.sub(
        r'(<script src="_static/searchtools\.js")',
        r'<script src="_static/page-texts.js"></script>\n    \1', text))


def mend_index(folder):
    """The index leads to the line of the header that declares a name, and not
    to the top of the block in which it stands."""
    index = os.path.join(folder, "genindex.html")
    with open(index, encoding="utf-8") as file:
        listed = file.read()
    entry = re.compile(r'<a href="(made/\w+\.html)#(index-\d+)">(\w+)</a>')
    for page in {found.group(1) for found in entry.finditer(listed)}:
        path = os.path.join(folder, page)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for where, block, name in entry.findall(listed):
            begin = text.find(f'id="{block}"') if where == page else -1
            declared = re.compile(
                rf'(?<=<span) (?=class="n[a-z]*">{name}</span>)').search(
                    text, max(begin, 0))
            if begin < 0 or not declared or f'id="{name}"' in text:
                continue
            text = (text[:declared.start()] + f' id="{name}" '
                    + text[declared.end():])
            listed = listed.replace(
                f'<a href="{page}#{block}">{name}</a>',
                f'<a href="{page}#{name}">{name}</a>')
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(index, "w", encoding="utf-8") as file:
        file.write(listed)


def mend(folder):
    static = os.path.join(folder, "_static")
    scripts = os.path.join(static, "scripts")
    change(os.path.join(scripts, "furo.js"),
           lambda text: mend_script(text, scripts))
    change(os.path.join(static, "styles", "furo.css"), mend_style)
    mend_search(folder)
    mend_index(folder)
