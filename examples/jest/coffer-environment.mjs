import { fileURLToPath } from 'node:url'
import { startCoffer } from 'coffer/testing'
import { TestEnvironment } from 'jest-environment-node'

const seed = fileURLToPath(new URL('../coffer.seed.yaml', import.meta.url))

/** Gives each test file its own vault, as the global `coffer`, so that files can run in parallel. */
export default class CofferEnvironment extends TestEnvironment {
  async setup() {
    await super.setup()
    this.global.coffer = await startCoffer({ seed })
  }

  async teardown() {
    await this.global.coffer?.close()
    await super.teardown()
  }
}
