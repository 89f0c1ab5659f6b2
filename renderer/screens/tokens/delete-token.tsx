import { reader } from '../../parts/access/looking.ts'
import { TypedConfirm } from '../../parts/forms/typed-confirm.tsx'
import { toast } from '../../parts/messages/toast.tsx'
import { dropTokens } from './list/tokens-store.ts'
import { strings } from './strings.ts'

const t = strings.remove

type Props = { readonly id: string; readonly onDeleted: () => void; readonly onClose: () => void }

/** Asks before a token is deleted. */
export function DeleteToken({ id, onDeleted, onClose }: Props) {
  return (
    <TypedConfirm
      title={t.title}
      word={t.word}
      action={t.action}
      onConfirm={async () => {
        await reader().tokens.remove({ id })
        dropTokens([id])
        onDeleted()
        toast(t.done)
      }}
      onClose={onClose}
    >
      <p className="mono clip">{id}</p>
      <p>{t.text}</p>
    </TypedConfirm>
  )
}
