import { vault } from '../../parts/connection/vault.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { removeDocuments } from './list/documents-store.ts'
import { strings } from './strings.ts'

const t = strings.remove

type Props = { readonly id: string; readonly onDeleted: () => void; readonly onClose: () => void }

export function DeleteDocument({ id, onDeleted, onClose }: Props) {
  return (
    <InputConfirm
      title={t.title}
      word={t.word}
      action={t.action}
      onConfirm={async () => {
        await vault.documents.remove({ id })
        removeDocuments([id])
        onDeleted()
        showToast(t.done)
      }}
      onClose={onClose}
    >
      <p className="mono clip">{id}</p>
      <p>{t.text}</p>
    </InputConfirm>
  )
}
