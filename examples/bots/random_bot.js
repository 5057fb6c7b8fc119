// A bot for any game of Coven in JavaScript (Node.js): a random legal action. The protocol: docs/bots.md.
//
//   coven check-bot alchemists "cmd:node examples/bots/random_bot.js"

"use strict";

const dice = new Map(); // of each table: many games may go on at once

// A small random generator (mulberry32): the same seed gives the same game.
function generator(seed) {
  let state = (seed ^ Math.floor(seed / 2 ** 32)) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

function answer(message) {
  const table = message.table;
  switch (message.type) {
    case "hello":
      dice.set(table, generator(message.seed));
      // Leave "wants" out to be told the state, the events and the texts of the actions too.
      return { type: "ready", table, protocol: 1, name: "random in JavaScript", wants: [] };
    case "decide":
      return { type: "action", table, action: message.legal[dice.get(table)(message.legal.length)] };
    default:
      dice.delete(table);
      return null;
  }
}

require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const found = answer(JSON.parse(line));
    if (found !== null) process.stdout.write(JSON.stringify(found) + "\n");
  });
