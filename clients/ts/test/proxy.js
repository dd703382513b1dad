import { createConnection, createServer } from "node:net";

/**
 * A socket between a client and a daemon, at which a test can see every frame and cut the connection, as a
 * network or a crash would.
 */
export class Proxy {
  /** @type {{ dir: "client" | "server", method?: string, id?: unknown, params?: any, result?: any, error?: any }[]} */
  frames = [];
  /** Whether a frame goes through; after the first that does not, nothing does on that connection, which is cut. */
  passes = (/** @type {Proxy["frames"][number]} */ _frame) => true;
  /** Whether new connections are taken. */
  open = true;
  connections = 0;
  /** @type {Set<import("node:net").Socket>} */
  #sockets = new Set();

  /**
   * @param {import("node:test").TestContext} t
   * @param {string} path where it listens
   * @param {string} to the socket of the daemon
   * @returns {Promise<Proxy>}
   */
  static async listen(t, path, to) {
    const proxy = new Proxy();
    const server = createServer((client) => proxy.#serve(client, to));
    await new Promise((resolve) => server.listen(path, () => resolve(undefined)));
    t.after(async () => {
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    });
    return proxy;
  }

  /** Cuts every connection. */
  cut() {
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    this.#sockets.clear();
  }

  /**
   * @param {import("node:net").Socket} client
   * @param {string} to
   */
  #serve(client, to) {
    if (!this.open) {
      client.destroy();
      return;
    }
    this.connections++;
    const daemon = createConnection(to);
    this.#pipe("client", client, daemon);
    this.#pipe("server", daemon, client);
  }

  /**
   * @param {"client" | "server"} dir
   * @param {import("node:net").Socket} from
   * @param {import("node:net").Socket} to
   */
  #pipe(dir, from, to) {
    this.#sockets.add(from);
    let text = "";
    let cut = false;
    from.on("error", () => {}); // a test cuts connections
    from.on("close", () => to.destroy());
    from.setEncoding("utf8");
    from.on("data", (piece) => {
      text += piece;
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        if (cut) {
          return;
        }
        const frame = { dir, ...JSON.parse(line) };
        this.frames.push(frame);
        if (this.passes(frame)) {
          to.write(line + "\n");
        } else {
          cut = true;
          from.destroy();
          to.destroy();
        }
      }
    });
  }
}
