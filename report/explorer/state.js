// What is chosen: kept in the address, so that a link brings the same picture.
const MARK = "#explorer:";
const CHOICES = ["e", "w", "x", "y", "b", "d", "s", "c", "q", "g", "h"];
const state = Object.fromEntries([...CHOICES, "p"].map((name) => [name, ""]));
Object.assign(state, {lx: null, ly: null, show: null});  // show: lines by short name, the one chosen last at the end

function stateText() {
  const parts = new URLSearchParams();
  for (const name of CHOICES) if (state[name]) parts.set(name, state[name]);
  for (const name of ["lx", "ly"]) if (state[name] !== null) parts.set(name, state[name] ? "1" : "0");
  if (state.show !== null) parts.set("show", state.show.join("."));
  if (state.p) parts.set("p", state.p);
  return parts.toString();
}

function setState(words) {
  const parts = new URLSearchParams(words);
  for (const name of [...CHOICES, "p"]) state[name] = parts.get(name) || "";
  for (const name of ["lx", "ly"]) state[name] = parts.has(name) ? parts.get(name) === "1" : null;
  state.show = parts.has("show") ? parts.get("show").split(".").filter(Boolean) : null;
}

function readState(hash) {
  if (!hash.startsWith(MARK) || hash === MARK) return false;
  setState(hash.slice(MARK.length));
  return true;
}

// A page in a mail program may forbid to change its address: then the link is not kept, and nothing else is lost.
function keepState(words = stateText()) {
  try {
    history.replaceState(history.state, "", MARK + words);
  } catch (refused) { /* as said above */ }
}

// Short and the same for the same text, whatever else the records hold (FNV-1a).
function shortName(words) {
  let hash = 0x811c9dc5;
  for (let place = 0; place < words.length; place++) {
    hash ^= words.charCodeAt(place);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
