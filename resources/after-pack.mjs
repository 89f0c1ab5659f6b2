// Sets Electron's fuses so that nobody can run their own code in the packaged program. Called by
// electron-builder.
import path from 'node:path'
import { FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses'

export const fuses = {
  // SECURITY: the program cannot be started as plain Node, where any script would have Coffer's name and keychain
  // access.
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  // SECURITY: only the packaged archive is loaded. Where the platform can check its integrity, a changed archive is
  // rejected.
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  // SECURITY: Chromium encrypts its cookies on disk, and pages from file:// get no extra privileges.
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // The package contains no separate V8 snapshot for the browser process.
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.WasmTrapHandlers]: true,
}

/** @param {import('./after-pack.d.mts').PackContext} context */
export default async function afterPack({ appOutDir, electronPlatformName, arch, packager }) {
  const { productFilename } = packager.appInfo
  const program =
    electronPlatformName === 'darwin'
      ? path.join(appOutDir, `${productFilename}.app`)
      : electronPlatformName === 'win32'
        ? path.join(appOutDir, `${productFilename}.exe`)
        : path.join(appOutDir, packager.executableName)
  const arm64 = 3
  await flipFuses(program, {
    version: FuseVersion.V1,
    // If a newer Electron adds a fuse, packaging fails until it is listed above.
    strictlyRequireAllFuses: true,
    resetAdHocDarwinSignature: electronPlatformName === 'darwin' && arch === arm64,
    ...fuses,
  })
}
