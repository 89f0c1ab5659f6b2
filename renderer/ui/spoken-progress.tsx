import { strings } from './strings.ts'

/** How far something is. */
export type Done = { readonly done: number; readonly total: number }

/** What a screen reader says of something that runs: what it is, then each quarter, since every step would drown out all else. */
export function spokenText(what: string, { done, total }: Done): string {
  const quarter = total === 0 ? 0 : Math.min(4, Math.floor((4 * done) / total))
  return quarter === 0 ? what : strings.progress(what, quarter * 25)
}

type Props = { readonly what: string; readonly progress: Done | undefined }

/** Tells a screen reader how far something is. Render it before anything runs: a region that comes with its text may not be read. */
export function SpokenProgress({ what, progress }: Props) {
  return (
    <span className="visually-hidden" role="status">
      {progress && spokenText(what, progress)}
    </span>
  )
}
