// Turns off everything in the packaged program that could let others run code in it. Called by electron-builder.
import path from 'node:path'
import { FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses'

export const fuses = {
  // SECURITY: nobody can use the program as a Node that runs any script with the vault's name and keychain rights.
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  // SECURITY: only the packaged archive is loaded, and only unaltered if the platform can check it.
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  // SECURITY: Chromium encrypts its session data, and file:// is not a special origin.
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // No separate snapshot is packaged.
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
