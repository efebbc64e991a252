// The page under test: BASE_URL where one is given (redgreen serve), else a development server with the in-memory backend.

import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** start gives the address and a function that ends what was started. fake is true for the in-memory backend. */
export async function start() {
  if (process.env.BASE_URL) return { url: process.env.BASE_URL, fake: false, stop: async () => {} };
  const { createServer } = await import('vite');
  const server = await createServer({ root, logLevel: 'error', server: { port: 0, strictPort: false, host: '127.0.0.1' } });
  await server.listen(0);
  const { port } = server.httpServer.address();
  return { url: `http://127.0.0.1:${port}/`, fake: true, stop: () => server.close() };
}
