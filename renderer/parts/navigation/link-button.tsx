import type { ReactNode } from 'react'
import { navigate } from './route.ts'

type Props = { readonly to: string; readonly mono?: boolean; readonly children: ReactNode }

/** A button that looks like a link and goes to a route. */
export function LinkButton({ to, mono = false, children }: Props) {
  return (
    <button type="button" className={`unstyled link${mono ? ' mono' : ''}`} onClick={() => navigate(to)}>
      {children}
    </button>
  )
}
