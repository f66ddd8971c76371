// The proved checker (doc/checker.md). This playground was built without one: after `make checker`, web/checked/proved_checker.js
// takes the place of this file.

export const provedChecker = null;
