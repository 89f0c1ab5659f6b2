import { defineConfig } from '@playwright/test'

/** Run with: npx playwright test --config examples/playwright. CHROMIUM_PATH selects an installed browser. */
export default defineConfig({
  fullyParallel: true,
  workers: 3,
  reporter: 'line',
  // Needed only if Coffer is outside of node_modules, as in this checkout: Playwright would compile it otherwise.
  build: { external: ['**/out/cli/**'] },
  outputDir: '../../out/playwright',
  use: {
    launchOptions: {
      ...(process.env.CHROMIUM_PATH && { executablePath: process.env.CHROMIUM_PATH }),
      args: ['--no-sandbox'],
    },
  },
})
