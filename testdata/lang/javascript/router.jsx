import React from "react";

const MAX = 10;

/** Joins path parts with one slash. */
export function join(...parts) {
  return parts.join("/").replace(/\/+/g, "/");
}

// The default export.
export default class Router extends React.Component {
  static routes = [];
  #depth = 0;

  constructor(props) {
    super(props);
  }

  handle = (event) => {
    this.#push(event.target.href);
  };

  #push(path) {
    this.#depth++;
  }

  async render() {
    return <Link to="/" onClick={this.handle} />;
  }
}

export const Link = ({ to, children }) => {
  const go = () => history.push(to);
  return <a href={to} onClick={go}>{children}</a>;
};

var legacy = function (a) {
  return a;
};

function* ids() {
  yield 1;
}

const api = {
  get(url) {
    return fetch(url);
  },
  post: async (url, body) => fetch(url, { body }),
};

Router.prototype.reset = function () {
  this.depth = 0;
};

module.exports.open = (path) => path;

describe("join", () => {
  it("drops double slashes", async () => {
    expect(join("a/", "/b")).toBe("a/b");
  });
});

const fs = require('fs');
export const DEFAULTS = { depth: 3, name() { return 'x'; } }, LEVELS = [1, 2];
let open = 0;
// not counted
var shut;
