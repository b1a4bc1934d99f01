/** The page and, under the same origin, the server's API: `/v1` goes to `AGENT_SERVER_URL`. */

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const target = process.env.AGENT_SERVER_URL ?? 'http://127.0.0.1:8080';
const proxy = { '/v1': { target, changeOrigin: true } };

export default defineConfig({
  plugins: [react()],
  server: { host: '127.0.0.1', proxy },
  preview: { host: '127.0.0.1', proxy },
});
