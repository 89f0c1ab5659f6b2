/** What is used of electron-builder's context. */
export type PackContext = {
  readonly appOutDir: string
  readonly electronPlatformName: string
  readonly arch: number
  readonly packager: {
    readonly appInfo: { readonly productFilename: string }
    readonly executableName: string
  }
}

export default function afterPack(context: PackContext): Promise<void>

/** What is decided for each fuse, by its number. */
export const fuses: Readonly<Record<number, boolean>>
