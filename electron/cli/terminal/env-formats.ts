import type { StarterKeys } from '../../host/initial-data/starter-applications.ts'

type Source = keyof StarterKeys | 'url'

/** The variables that programs of a kind read, with the key or the address that each holds (rule H-05). */
export type EnvFormat = {
  /** The file that the kind of program reads. */
  readonly file: string
  readonly variables: Readonly<Record<string, Source>>
  /** Where the script tag for Elements goes, for pages. */
  readonly script?: string
  /** The origin of its development server, for pages. */
  readonly origin?: string
}

export const envFormatNames = ['next', 'vite', 'terraform', 'python'] as const
export type EnvFormatName = (typeof envFormatNames)[number]

export const envFormats: Readonly<Record<EnvFormatName, EnvFormat>> = {
  next: {
    file: '.env.local of Next.js',
    variables: {
      NEXT_PUBLIC_BASIS_THEORY_PUBLIC_KEY: 'public',
      NEXT_PUBLIC_BASIS_THEORY_API_KEY: 'public',
      BASIS_THEORY_PRIVATE_KEY: 'private',
      BASIS_THEORY_API_KEY: 'private',
      BASIS_THEORY_MANAGEMENT_KEY: 'management',
      BT_API_BASE_URL: 'url',
    },
    script: 'in <head> of app/layout.tsx or pages/_document.tsx, in development only',
    origin: 'http://localhost:3000',
  },
  vite: {
    file: '.env.local of Vite',
    variables: {
      VITE_BASIS_THEORY_PUBLIC_KEY: 'public',
      VITE_BASIS_THEORY_API_KEY: 'public',
      BASIS_THEORY_PRIVATE_KEY: 'private',
      BT_API_BASE_URL: 'url',
    },
    script: 'in <head> of index.html, in development only',
    origin: 'http://localhost:5173',
  },
  terraform: {
    file: 'the environment of Terraform',
    variables: { BASISTHEORY_API_KEY: 'management', BASISTHEORY_API_URL: 'url' },
  },
  python: {
    file: '.env of a Python program',
    variables: {
      BASIS_THEORY_API_KEY: 'private',
      BT_API_KEY: 'private',
      BASIS_THEORY_MANAGEMENT_KEY: 'management',
      BASIS_THEORY_API_URL: 'url',
      BT_API_BASE_URL: 'url',
    },
  },
}
