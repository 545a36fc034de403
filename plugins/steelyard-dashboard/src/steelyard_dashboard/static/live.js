"use strict";
// Keeps a page about runs in progress up to date: asks for the same page again and takes over the parts that changed.
// The server made both, so there is one way in which a run is shown, with this script and without it.

const EVERY_MS = 2000;
const parts = Array.from(document.querySelectorAll("[data-part]"));
const pause = document.getElementById("pause");
const connection = document.getElementById("connection");
let paused = false;

function say(text) {
  if (connection && connection.textContent !== text) connection.textContent = text;
}

function takeOver(page) {
  let held = false;
  for (const part of parts) {
    const fresh = page.getElementById(part.id);
    if (!fresh || fresh.innerHTML === part.innerHTML) continue;
    // Whoever is inside it would lose their place.
    if (part.contains(document.activeElement) || holdsSelection(part)) { held = true; continue; }
    part.replaceChildren(...fresh.childNodes);
  }
  say(held ? "A table waits while you are in it." : "");
}

function holdsSelection(part) {
  const selection = document.getSelection();
  return !selection.isCollapsed && part.contains(selection.anchorNode);
}

async function refresh() {
  if (paused || document.hidden) return;
  try {
    const reply = await fetch(location.href, { cache: "no-store" });
    if (reply.redirected) { location.replace(reply.url); return; }
    if (reply.ok) takeOver(new DOMParser().parseFromString(await reply.text(), "text/html"));
    else say("This run is not in progress any more.");
  } catch {
    say("The dashboard does not answer; trying again.");
  }
}

async function keepOn() {
  await refresh();
  setTimeout(keepOn, EVERY_MS);
}

if (pause) {
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "Go on with updates" : "Pause updates";
    say(paused ? "Updates are paused." : "");
    refresh();
  });
}
document.addEventListener("visibilitychange", refresh);
setTimeout(keepOn, EVERY_MS);
