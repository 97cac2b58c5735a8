// Keys, and word of what is new. Every page works without it.

const rows = () => [...document.querySelectorAll(".row .cover")];
const runs = () => [...document.querySelectorAll(".runs [data-t] p:first-child > a:first-child, .call.wrote > summary")];

// step moves the focus among things, from where it is.
function step(list, by) {
  if (list.length === 0) return;
  const at = list.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + by, 0), list.length - 1);
  list[next].focus();
  list[next].scrollIntoView({ block: "center" });
}

// From where a key went to the search or to the list of keys: Escape goes back there.
let from = null;
function visit(id) {
  const to = document.getElementById(id);
  if (to !== document.activeElement) from = document.activeElement;
  to.focus();
}

// back leaves what a key went to, or else folds what is open around the focus. It says whether there was either.
function back() {
  const at = document.activeElement;
  if (from && (at.id === "find" || at.id === "keys")) {
    if (from === document.body) at.blur();
    else from.focus();
    from = null;
    return true;
  }
  const opened = at.closest("details[open]");
  opened?.removeAttribute("open");
  opened?.querySelector("summary").focus();
  return opened !== null;
}

const keys = {
  "/": () => visit("find"),
  j: () => step(rows(), 1),
  k: () => step(rows(), -1),
  n: () => step(runs(), 1),
  p: () => step(runs(), -1),
  g: () => location.assign("/graph"),
  "?": () => visit("keys"),
};

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && back()) event.preventDefault();
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const link = "[]b".includes(event.key) && document.querySelector(`[data-key="${event.key}"]`);
  const act = link ? () => link.click() : keys[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

// Lines of the conversation under the pointer, or with the focus, stand out, and so do their places at the edge.
function same(event) {
  const run = event.target.closest?.("[data-t]");
  for (const other of document.querySelectorAll(".same")) other.classList.remove("same");
  if (!run) return;
  for (const other of document.querySelectorAll("[data-t]")) {
    if (other.dataset.t === run.dataset.t) other.classList.add("same");
  }
}
const lines = document.querySelector(".blame");
lines?.addEventListener("mouseover", (event) => {
  same(event);
  const link = event.target.closest("a"); // the first link to a thing says what it is
  if (link && !link.title) link.title = lines.querySelector(`a[title][href="${link.getAttribute("href")}"]`)?.title ?? "";
});
lines?.addEventListener("focusin", same);

// The first line of a run has an address in the page. Another line gets one when it is asked for.
function line(n) {
  if (!lines || !n || document.getElementById("L" + n)) return;
  for (const place of lines.querySelectorAll("li > p + p")) {
    const first = +place.firstChild.textContent;
    for (let text = place.firstChild; text && first <= n; text = text.nextSibling) {
      const at = text.nodeType === Node.TEXT_NODE ? ("\n" + text.data + "\n").indexOf("\n" + n + "\n") : -1;
      if (at < 0) continue;
      const number = Object.assign(document.createElement("a"), { id: "L" + n, href: "#L" + n, textContent: n });
      const rest = text.splitText(at); // behind the end of the line before
      rest.data = rest.data.slice(String(n).length);
      rest.before(number);
      return;
    }
  }
  location.replace(`?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(location.search)), from: n })}#L${n}`);
}
lines?.addEventListener("click", (event) => {
  const place = event.target.closest("li > p + p");
  if (!place || event.target.closest("a")) return;
  const box = place.getBoundingClientRect();
  const all = place.textContent.split("\n");
  const n = all[Math.floor((event.clientY - box.top) / box.height * all.length)];
  line(n);
  location.hash = "L" + n;
});
const asked = () => line(/^#L(\d+)$/.exec(location.hash)?.[1]);
addEventListener("hashchange", asked);
asked();

// Where an address names a thing that is folded, it is opened.
function unfold() {
  const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  at?.querySelector?.("details")?.setAttribute("open", "");
  at?.scrollIntoView?.();
}
addEventListener("hashchange", unfold);
if (location.hash) unfold();

// Steps of a long conversation are lines until they come into view. What takes their place is a page of this server,
// whose templates escape what others wrote.
const html = globalThis.trustedTypes?.createPolicy("git-trace", { createHTML: (text) => text }) ?? { createHTML: (text) => text };

async function whole(part) {
  const address = part.dataset.fetch;
  if (!address) return;
  delete part.dataset.fetch;
  const answer = await fetch(address);
  if (!answer.ok) {
    part.dataset.fetch = address;
    return;
  }
  const steps = document.createElement("template");
  steps.innerHTML = html.createHTML(await answer.text());
  const focused = part.contains(document.activeElement) && document.activeElement.id;
  part.replaceWith(steps.content);
  if (focused) document.getElementById(focused)?.querySelector("a, summary")?.focus();
}
const seen = new IntersectionObserver((list) => {
  for (const entry of list) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    whole(entry.target);
  }
}, { rootMargin: "300px" });
for (const part of document.querySelectorAll(".part[data-fetch]")) seen.observe(part);

// The overview says that the log is being checked until it is asked for again.
if (document.querySelector("[data-again]")) setTimeout(() => document.activeElement === document.body && location.reload(), 4000);

// Browsers keep six connections to a server: a page that nobody sees gives its own back.
const state = document.body.dataset.state;
let live = null;
function told(event) {
  const changed = event.data !== state;
  document.getElementById("news").hidden = !changed;
  if (changed && location.pathname === "/" && document.activeElement === document.body) location.reload();
}
function listen() {
  if (live || !state || document.hidden) return;
  live = new EventSource("/live");
  live.onmessage = told;
}
function leave() {
  live?.close();
  live = null;
}
document.addEventListener("visibilitychange", () => (document.hidden ? leave() : listen()));
addEventListener("pagehide", leave);
addEventListener("pageshow", listen);
