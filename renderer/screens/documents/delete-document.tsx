import { vault } from '../../parts/connection/vault.ts'
import { TypedConfirm } from '../../parts/forms/typed-confirm.tsx'
import { toast } from '../../parts/messages/toast.tsx'
import { dropDocuments } from './list/documents-store.ts'
import { strings } from './strings.ts'

const t = strings.remove

type Props = { readonly id: string; readonly onDeleted: () => void; readonly onClose: () => void }

/** Asks before a document is deleted. */
export function DeleteDocument({ id, onDeleted, onClose }: Props) {
  return (
    <TypedConfirm
      title={t.title}
      word={t.word}
      action={t.action}
      onConfirm={async () => {
        await vault.documents.remove({ id })
        dropDocuments([id])
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
