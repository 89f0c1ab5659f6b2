import { strings } from './strings.ts'

export type Done = { readonly done: number; readonly total: number }

/**
 * The text for screen readers: the label, then the progress in quarters, because announcing each step would
 * drown out everything else.
 */
export function formatSpokenProgress(what: string, { done, total }: Done): string {
  const quarter = total === 0 ? 0 : Math.min(4, Math.floor((4 * done) / total))
  return quarter === 0 ? what : strings.progress(what, quarter * 25)
}

type Props = { readonly what: string; readonly progress: Done | undefined }

/**
 * Announces progress to screen readers. Render it before anything runs: a live region that is inserted
 * together with its text may not be read.
 */
export function SpokenProgress({ what, progress }: Props) {
  return (
    <span className="visually-hidden" role="status">
      {progress && formatSpokenProgress(what, progress)}
    </span>
  )
}
