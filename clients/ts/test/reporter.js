/**
 * Tells the results of a run to a program: a line of JSON for each test. tests/typescript reads them.
 *
 * @param {AsyncIterable<{ type: string, data: any }>} source
 */
export default async function* report(source) {
  for await (const { type, data } of source) {
    if (type === "test:pass" || type === "test:fail") {
      const error = data.details?.error;
      yield JSON.stringify({
        name: data.name,
        file: data.file,
        passed: type === "test:pass",
        skipped: data.skip ?? false,
        error: error && String(error.cause?.stack ?? error.stack ?? error),
      }) + "\n";
    }
  }
}
