"""Figures of Kappaflow in Sphinx and MyST. In conf.py, with this file on sys.path:

    extensions = ["kappaflow_sphinx"]
    kappaflow_site = "https://your.host/kappaflow/"  # the page that figures are frames of
    kappaflow_program = "kappaflow"                  # the command line; draws what is printed

and in the text

    .. kappaflow:: capacity-diffusion
       :layers: 48
       :top-index: 12
       :title: Capacity flows back and spreads

       A caption.

Options are the scene's params, written as the element's attributes (top-index for topIndex), and title, height, size, ui, theme, contrast, lang, hide,
lock, focus and speed. HTML gets a frame, EPUB an SVG, LaTeX a PNG, everything else a link.
"""

import hashlib
import html
import re
import subprocess
from pathlib import Path
from urllib.parse import quote, urlencode

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx.util import logging

logger = logging.getLogger(__name__)
HOST = ("ui", "theme", "contrast", "lang", "hide", "lock", "focus", "speed")
STYLE = "width:100%;aspect-ratio:16/10;min-height:400px;border:0"


class AnyOption(dict):
    """Every name is an option: the program knows which params a scene has."""

    def __missing__(self, name):
        return directives.unchanged


class kappaflow_figure(nodes.General, nodes.Inline, nodes.Element):
    pass


def camel(name):
    return re.sub(r"-(\w)", lambda found: found[1].upper(), name)


class Kappaflow(Directive):
    required_arguments = 1
    has_content = True
    option_spec = AnyOption({name: directives.unchanged for name in ("title", "height", "size", *HOST)})

    def run(self):
        scene, options = self.arguments[0], dict(self.options)
        title = options.pop("title", scene.replace("-", " "))
        height, size = options.pop("height", ""), options.pop("size", "1200x750")
        host = {name: options.pop(name) for name in HOST if name in options}
        state = urlencode({"v": 1, "scene": scene, **{camel(name): value for name, value in options.items()}}, quote_via=quote)
        figure = kappaflow_figure(state=state, host={"ui": "figure", **host}, title=title, height=height, size=size)
        figure.source, figure.line = self.state_machine.get_source_and_line(self.lineno)
        if not self.content:
            return [figure]
        text = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, text)
        if len(text) != 1 or not isinstance(text[0], nodes.paragraph):
            raise self.error("The text of a kappaflow directive is its caption: one paragraph.")
        return [nodes.figure("", figure, nodes.caption(text[0].rawsource, "", *text[0].children))]


def address(config, node):
    return f"{config.kappaflow_site.rstrip('/')}/?{node['state']}&{urlencode(node['host'])}"


def drawn(translator, node, extension):
    """The picture as a file in the output folder, drawn once; None where the program cannot."""
    program, theme = translator.config.kappaflow_program, node["host"].get("theme", "light")
    wanted = ["render", "--state", node["state"], "--size", node["size"], "--theme", theme if theme == "dark" else "light",
              "--contrast", "more" if node["host"].get("contrast") == "more" else "usual"]
    if extension == "png":
        wanted += ["--scale", "2"]
    name = f"kappaflow-{hashlib.sha256(' '.join(wanted).encode()).hexdigest()[:16]}.{extension}"
    path = Path(translator.builder.outdir) / name
    if path.exists():
        return name
    try:
        done = subprocess.run([program, *wanted, "--out", str(path)], capture_output=True, text=True)
        told = done.stderr.strip()
    except OSError as error:
        return logger.warning(f"{program} cannot be run ({error.strerror}): kappaflow_program names it", location=node)
    if told:
        logger.warning(told, location=node)
    return name if done.returncode == 0 else None


def link(translator, node):
    return node["title"], address(translator.config, node).replace("ui=figure", "ui=full")


def visit_html(self, node):
    escape = html.escape
    if self.builder.name == "epub":
        name = drawn(self, node, "svg")
        title, href = link(self, node)
        self.body.append(f'<img src="{name}" alt="{escape(title)}"/>' if name else f'<a href="{escape(href)}">{escape(title)}</a>')
        raise nodes.SkipNode
    style = f"width:100%;height:{node['height']};border:0" if node["height"] else STYLE
    self.body.append(
        f'<iframe src="{escape(address(self.config, node))}" title="{escape(node["title"])}" sandbox="allow-scripts" '
        f'allow="clipboard-write; fullscreen" loading="lazy" style="{escape(style)}"></iframe>'
    )
    raise nodes.SkipNode


def visit_latex(self, node):
    name = drawn(self, node, "png")
    title, href = link(self, node)
    if name:
        self.body.append(f"\\noindent\\sphinxincludegraphics[width=\\linewidth]{{{name}}}\n")
    else:
        self.body.append(f"\\sphinxhref{{{self.encode_uri(href)}}}{{{self.encode(title)}}}\n")
    raise nodes.SkipNode


def visit_text(self, node):
    title, href = link(self, node)
    self.new_state(0)
    self.add_text(f"[{title}: {href}]")
    self.end_state(wrap=False)
    raise nodes.SkipNode


def visit_other(self, node):
    title, href = link(self, node)
    self.body.append(f"{title}: {href}")
    raise nodes.SkipNode


def setup(app):
    app.add_config_value("kappaflow_site", "https://your.host/kappaflow/", "env")
    app.add_config_value("kappaflow_program", "kappaflow", "")
    app.add_node(
        kappaflow_figure, html=(visit_html, None), latex=(visit_latex, None), text=(visit_text, None), man=(visit_other, None),
        texinfo=(visit_other, None),
    )
    app.add_directive("kappaflow", Kappaflow)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
