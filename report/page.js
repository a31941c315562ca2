/* The page of lrgd report: charts that answer, in place of the drawn ones,
   and the best point as CSV.  Everything can be read without it. */
(function () {
  "use strict";

  const live = document.getElementById("live");

  function colour(name) {
    return getComputedStyle(document.documentElement)
      .getPropertyValue("--" + name).trim();
  }

  function say(text) {
    live.textContent = text;
  }

  function shown(value) {
    if (value === null || value === undefined) return "none";
    return Number(value).toPrecision(6).replace(/\.?0+($|e)/, "$1");
  }

  /* ---- data ---- */

  /* What each series is drawn as: areas on top of each other, and where the
     scale asks for it, only what is above zero. */
  function heights(data, scale) {
    const below = data.x.map(() => 0);
    let lowest = Infinity;
    for (const series of data.series)
      for (const y of series.y) if (y !== null && y < lowest) lowest = y;
    return data.series.map((series) => series.y.map((y, i) => {
      if (y === null) return null;
      if (series.kind === "area") return below[i] += y;
      if (scale === "gap") y -= lowest;
      return scale === "linear" || y > 0 ? y : null;
    }));
  }

  /* ---- uPlot ---- */

  function seriesOptions(series) {
    const tint = colour("c" + series.colour);
    const options = {
      label: series.label,
      stroke: tint,
      width: 2,
      points: { show: false },
      value: (u, y, s, i) => i === null ? "–" : shown(series.y[i])
    };
    if (series.kind === "steps")
      options.paths = uPlot.paths.stepped({ align: 1 });
    if (series.kind === "joined")
      options.points = { show: true, size: 6, width: 0, fill: tint };
    if (series.kind === "area") {
      options.fill = tint;
      options.width = 0;
    }
    if (series.kind === "dots") {
      options.paths = () => null;
      options.points = { show: true, size: 4, width: 0, fill: tint };
    }
    return options;
  }

  function tick(value) {
    if (value === null) return "";
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential();
    return value.toLocaleString("en", { maximumFractionDigits: 6 });
  }

  /* Decades, not too close; within few of them 1, 2 and 5 of each. */
  function decades(u, at, lo, hi) {
    const first = Math.ceil(Math.log10(lo) - 1e-9);
    const last = Math.floor(Math.log10(hi) + 1e-9);
    const most = Math.max(2, u.bbox.height / (uPlot.pxRatio || 1) / 34);
    const stride = Math.max(1, Math.ceil((last - first + 1) / most));
    const all = [];
    for (let e = first; e <= last; e++)
      if (e % stride === 0) all.push(Number("1e" + e));
    if (all.length > 2) return all;
    all.length = 0;
    for (let e = first - 1; e <= last; e++)
      for (const part of [1, 2, 5]) {
        const value = Number(part + "e" + e);
        if (value >= lo && value <= hi) all.push(value);
      }
    return all;
  }

  function axis(label, whole) {
    return {
      label: label,
      labelSize: 22,
      labelGap: 2,
      font: "12px system-ui, sans-serif",
      labelFont: "12px system-ui, sans-serif",
      stroke: colour("soft"),
      grid: { stroke: colour("rule"), width: 1 },
      ticks: { stroke: colour("rule"), width: 1 },
      space: whole ? 70 : 34,
      size: whole ? 34 : (u, values) =>
        20 + 7.2 * Math.max(2, ...(values || []).map((v) => v ? v.length : 0)),
      values: (u, all) => all.map(tick)
    };
  }

  /* The solver's decisions, and what failed. */
  function drawMarks(data) {
    return function (u) {
      const c = u.ctx, box = u.bbox, dot = uPlot.pxRatio || 1;
      c.save();
      c.beginPath();
      c.rect(box.left - 8 * dot, 0, box.width + 16 * dot, box.top + box.height);
      c.clip();
      c.strokeStyle = c.fillStyle = colour("soft");
      c.font = 11 * dot + "px system-ui, sans-serif";
      c.textAlign = "center";
      c.lineWidth = dot;
      c.setLineDash([2 * dot, 3 * dot]);
      let last = -Infinity;
      data.marks.forEach((x, i) => {
        const at = u.valToPos(x, "x", true);
        if (at < box.left || at > box.left + box.width) return;
        c.beginPath();
        c.moveTo(at, box.top);
        c.lineTo(at, box.top + box.height);
        c.stroke();
        if (at < last + 15 * dot) return;
        last = at;
        c.fillText(String(i + 1), at, box.top - 4 * dot);
      });
      c.setLineDash([]);
      c.strokeStyle = colour("bad");
      c.lineWidth = 1.5 * dot;
      const foot = box.top + box.height;
      for (const x of data.failed) {
        const at = u.valToPos(x, "x", true);
        c.beginPath();
        c.moveTo(at, foot);
        c.lineTo(at, foot - 8 * dot);
        c.stroke();
      }
      c.restore();
    };
  }

  function range(data, scale) {
    return function (u, lo, hi) {
      if (lo === null || hi === null) return scale === "linear" ? [0, 1] : [1, 10];
      if (scale !== "linear") return uPlot.rangeLog(lo, hi, 10, false);
      const room = 0.04 * (hi - lo) || Math.abs(hi) / 2 || 0.5;
      const floor = data.zero || data.series[0].kind === "area";
      return [floor ? 0 : lo - room, hi + room];
    };
  }

  function options(data, scale, plot) {
    const x = { time: false };
    const xAxis = axis(data.xLabel, true);
    const counts = [...Array(12).keys()].flatMap((e) =>
      [1, 2, 5].map((part) => Number(part + "e" + e)));
    if (data.whole) xAxis.incrs = counts;
    if (data.xMax !== null) x.range = [0, data.xMax];
    const yAxis =
      axis(scale === "gap" ? "value of f above the lowest" : data.yLabel, false);
    if (data.wholeY) yAxis.incrs = counts;
    if (scale !== "linear") {
      yAxis.splits = decades;
      yAxis.filter = (u, all) => all;
    }
    return {
      width: plot.clientWidth,
      height: plot.clientWidth < 420 ? 270 : 320,
      /* half a label of the last tick at the right */
      padding: [data.marks.length > 0 ? 18 : 10, 26, 0, 0],
      scales: {
        x: x,
        y: { distr: scale === "linear" ? 1 : 3, range: range(data, scale) }
      },
      axes: [xAxis, yAxis],
      series: [{ label: data.xLabel, value: (u, x) => x === null ? "–" : shown(x) }]
        .concat(data.series.map(seriesOptions)),
      hooks: { draw: [drawMarks(data)] },
      cursor: { drag: { x: true, y: false }, points: { size: 8 } }
    };
  }

  /* ---- one chart ---- */

  /* With the arrows the cursor goes from point to point, and what is there is
     said. */
  function steer(chart, key) {
    const u = chart.plot, last = chart.data.x.length - 1;
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[key];
    let i = chart.at;
    if (key === "Home") i = 0;
    else if (key === "End") i = last;
    else if (key === "Escape") return u.setData(u.data), say("whole chart"), true;
    else if (step === undefined) return false;
    else i = Math.min(last, Math.max(0, (i === null ? (step > 0 ? -1 : last + 1) : i) + step));
    chart.at = i;
    const left = u.valToPos(chart.data.x[i], "x");
    u.setCursor({ left: left, top: u.over.clientHeight / 2 });
    say(chart.data.xLabel + " " + shown(chart.data.x[i]) + ": " +
      chart.data.series.filter((s) => s.y[i] !== null)
        .map((s) => s.label + " " + shown(s.y[i])).join(", "));
    return true;
  }

  function draw(chart) {
    if (chart.plot) chart.plot.destroy();
    const values = heights(chart.data, chart.scale);
    /* the highest area is painted first */
    const areas = chart.data.series[0].kind === "area";
    const shownData = areas ? Object.assign({}, chart.data,
      { series: chart.data.series.slice().reverse() }) : chart.data;
    if (areas) values.reverse();
    chart.plot = new uPlot(options(shownData, chart.scale, chart.box),
      [chart.data.x].concat(values), chart.box);
  }

  function offerScales(chart, figure) {
    const set = document.createElement("fieldset");
    const choices = [["linear", "linear"], ["log", "logarithmic"],
      ["gap", "logarithm above the lowest"]];
    const positive = chart.data.series.every((s) => s.y.every((y) => y === null || y > 0));
    set.className = "scales";
    set.append(Object.assign(document.createElement("legend"), { textContent: "Scale" }));
    for (const [value, text] of choices) {
      if (value === "log" && !positive) continue;
      const label = document.createElement("label");
      const radio = document.createElement("input");
      radio.type = "radio";
      radio.name = figure.id + "-scale";
      radio.checked = value === chart.scale;
      radio.addEventListener("change", () => {
        chart.scale = value;
        draw(chart);
      });
      label.append(radio, text);
      set.append(label);
    }
    figure.insertBefore(set, figure.querySelector(".plot"));
  }

  function start(figure) {
    const data = JSON.parse(figure.querySelector("script").textContent);
    const box = figure.querySelector(".plot");
    const chart = { data: data, box: box, at: null, plot: null,
      scale: data.log ? "log" : "linear" };
    figure.classList.add("live");
    box.tabIndex = 0;
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", data.title +
      ". Arrow keys go from point to point, Escape shows the whole.");
    box.addEventListener("keydown", (event) => {
      if (steer(chart, event.key)) event.preventDefault();
    });
    if (data.choose) offerScales(chart, figure);
    draw(chart);
    return chart;
  }

  function startAll() {
    const charts = Array.from(document.querySelectorAll("figure.chart"), start);
    const again = () => charts.forEach(draw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
    let width = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth === width) return;
      width = innerWidth;
      again();
    });
    addEventListener("beforeprint", () => charts.forEach((chart) => {
      chart.box.parentElement.classList.remove("live");
    }));
  }

  /* ---- the best point ---- */

  function selectText(node) {
    const range = document.createRange();
    range.selectNodeContents(node);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  }

  function copy(node) {
    node.closest("details").open = true;
    const done = () => say("copied");
    const byHand = () => {
      selectText(node);
      say(document.execCommand("copy") ? "copied" : "selected: copy it now");
    };
    if (navigator.clipboard)
      navigator.clipboard.writeText(node.textContent).then(done, byHand);
    else byHand();
  }

  function save(node) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([node.textContent], { type: "text/csv" }));
    link.download = "best.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  const csv = document.getElementById("csv");
  if (csv) {
    document.querySelector(".buttons").hidden = false;
    document.getElementById("copy").addEventListener("click", () => copy(csv));
    document.getElementById("save").addEventListener("click", () => save(csv));
  }
  if (typeof uPlot === "function") startAll();
})();
