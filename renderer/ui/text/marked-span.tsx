import { MarkedText } from './marked-text.tsx'

/** Untrusted text in an element with a class, such as `mono`. */
export function MarkedSpan({ className = 'mono', text }: { className?: string | undefined; text: string }) {
  return (
    <span className={className}>
      <MarkedText text={text} />
    </span>
  )
}
