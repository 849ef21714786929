import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const server = process.env.MQTTLAB_SERVER ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: server, ws: true, changeOrigin: true, headers: { origin: server } } },
  },
  build: {
    outDir: 'dist',
    target: 'es2022',
    sourcemap: false,
    // The content security policy takes fonts from this server only, not from data: addresses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Charts stay out of the first load: only pages that draw fetch them.
          groups: [
            { name: 'charts', test: /node_modules[\\/](chart\.js|chartjs-|@kurkle|@sgratzl)/, priority: 2 },
            {
              name: 'react',
              test: /node_modules[\\/](react|react-dom|react-router|scheduler)[\\/]/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
