/** The members of electron-builder's context that are used. */
export type PackContext = {
  readonly arch: number
  readonly electronPlatformName: string
  readonly packager: {
    readonly config: { readonly electronVersion?: string | null }
    readonly info: { readonly projectDir: string; readonly framework: { readonly version: string } }
  }
}

export default function beforePack(context: PackContext): Promise<void>
