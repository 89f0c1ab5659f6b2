import { fileURLToPath } from 'node:url'
import { test as base } from '@playwright/test'
import { type RunningCoffer, startCoffer } from 'coffer/testing'
import { startShop } from './shop.ts'

const seed = fileURLToPath(new URL('../coffer.seed.yaml', import.meta.url))

/** Each worker has its own vault and shop. Before each test, the vault is reset to the seed. */
export const test = base.extend<{ coffer: RunningCoffer }, { site: { coffer: RunningCoffer; shop: string } }>(
  {
    site: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern.
      async ({}, use) => {
        await using shop = await startShop()
        await using coffer = await startCoffer({ seed, origins: [shop.origin] })
        shop.useVault(coffer.url, coffer.keys.public)
        await use({ coffer, shop: shop.origin })
      },
      { scope: 'worker' },
    ],
    coffer: async ({ site }, use) => {
      await site.coffer.reset()
      await use(site.coffer)
    },
    baseURL: ({ site }, use) => use(site.shop),
  },
)
