import { randomFillSync } from "node:crypto";

let last = 0n;

/**
 * A commandId: a UUID of version 7, later than those minted before it in this process. Mint one for each
 * command that is meant, and send it again with the same id until it is answered: it happens once.
 *
 * @returns {string}
 */
export function newCommandId() {
  const random = randomFillSync(new Uint8Array(8));
  // 48 bits of milliseconds, then 12 that count within one.
  const now = BigInt(Date.now()) << 12n;
  last = now > last ? now : last + 1n;
  const time = last >> 12n;
  const count = last & 0xfffn;
  random[0] = (Number(random[0]) & 0x3f) | 0x80;
  const tail = Buffer.from(random).toString("hex");
  const head = time.toString(16).padStart(12, "0");
  return `${head.slice(0, 8)}-${head.slice(8)}-7${count.toString(16).padStart(3, "0")}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
