import type { ReactNode } from 'react'
import { navigate } from './route.ts'

type Props = { readonly to: string; readonly label: ReactNode; readonly mono?: boolean }

/** A button that looks like a link and goes to a route. */
export function LinkButton({ to, label, mono = false }: Props) {
  return (
    <button type="button" className={`unstyled link${mono ? ' mono' : ''}`} onClick={() => navigate(to)}>
      {label}
    </button>
  )
}
