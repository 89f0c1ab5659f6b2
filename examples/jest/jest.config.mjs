/** Run with: NODE_OPTIONS=--experimental-vm-modules jest --config examples/jest/jest.config.mjs */
export default {
  // To use it only in some files, remove this line and start those files with: /** @jest-environment ./coffer-environment.mjs */
  testEnvironment: './coffer-environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['**/*.test.ts'],
  transform: { '\\.ts$': './strip-types.mjs' },
}
