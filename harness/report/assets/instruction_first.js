// Before anything is painted: what only a script can show takes its place.
document.documentElement.classList.add("js");
