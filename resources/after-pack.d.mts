/** The members of electron-builder's context that are used. */
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

/** The setting of each fuse, by its number. */
export const fuses: Readonly<Record<number, boolean>>
