// What is chosen: kept in the address, so that a link brings the same picture.
const MARK = "#explorer:";
const CHOICES = ["e", "x", "y", "b", "d", "s", "c", "q", "g", "h", "o"];
const state = {e: "", x: "", y: "", b: "", d: "", s: "", c: "", q: "", g: "", h: "", o: "", lx: null, ly: null, hide: null, p: ""};

function stateText() {
  const parts = new URLSearchParams();
  for (const name of CHOICES) if (state[name] && (state[name] !== "all" || name === "g")) parts.set(name, state[name]);
  for (const name of ["lx", "ly"]) if (state[name] !== null) parts.set(name, state[name] ? "1" : "0");
  if (state.hide !== null) parts.set("hide", [...state.hide].sort().join("."));
  if (state.p) parts.set("p", state.p);
  return parts.toString();
}

function readState(hash) {
  if (!hash.startsWith(MARK)) return false;
  const parts = new URLSearchParams(hash.slice(MARK.length));
  for (const name of CHOICES) state[name] = parts.get(name) || "";
  for (const name of ["lx", "ly"]) state[name] = parts.has(name) ? parts.get(name) === "1" : null;
  state.hide = parts.has("hide") ? new Set(parts.get("hide").split(".").filter(Boolean)) : null;
  state.p = parts.get("p") || "";
  return true;
}

// A page in a mail program may forbid to change its address: then the link is not kept, and nothing else is lost.
function keepState() {
  try {
    history.replaceState(history.state, "", MARK + stateText());
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
