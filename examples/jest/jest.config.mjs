/** One vault for the whole run. Run with: NODE_OPTIONS=--experimental-vm-modules jest --config examples/jest/jest.config.mjs */
export default {
  globalSetup: './global-setup.mjs',
  globalTeardown: './global-teardown.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['**/*.test.ts'],
  transform: { '\\.ts$': './strip-types.mjs' },
}
