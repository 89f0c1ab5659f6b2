/** Run with: NODE_OPTIONS=--experimental-vm-modules jest --config examples/jest/jest.config.mjs */
export default {
  // Or only for some files, in their first lines: /** @jest-environment ./coffer-environment.mjs */
  testEnvironment: './coffer-environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['**/*.test.ts'],
  transform: { '\\.ts$': './strip-types.mjs' },
}
