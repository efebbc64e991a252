// A node:test reporter for try_node.mjs: one line of JSON for each test, [file, names from the outermost, status].

export default async function* report(source) {
  const stack = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      stack.length = data.nesting;
      stack[data.nesting] = data.name;
    } else if (type === 'test:pass' || type === 'test:fail') {
      const skipped = data.skip !== undefined && data.skip !== false || data.todo !== undefined && data.todo !== false;
      const names = [...stack.slice(0, data.nesting), data.name];
      if (data.details?.type === 'suite' || names.some((n) => n === undefined)) continue;
      yield `${JSON.stringify([data.file ?? '', names, skipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed'])}\n`;
    }
  }
}
