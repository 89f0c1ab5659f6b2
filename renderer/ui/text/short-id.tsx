import { MarkedText } from './marked-text.tsx'

const SHORT_ID_LENGTH = 12

/** An id in a list, of which the ends are shown and the whole is read out. */
export function ShortId({ id }: { id: string }) {
  return (
    <>
      <span className="visually-hidden">{id}</span>
      <span className="mono" title={id} aria-hidden="true">
        <MarkedText text={shortenId(id)} />
      </span>
    </>
  )
}

/** The beginning and the end of a long id, which are enough to tell ids apart: `71eced94…0d`. */
function shortenId(id: string): string {
  return id.length > SHORT_ID_LENGTH ? `${id.slice(0, 8)}…${id.slice(-2)}` : id
}
