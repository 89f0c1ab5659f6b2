import { Checkbox, FileButton } from '@mantine/core'
import { useEffect } from 'react'
import { formatSize } from '../../../../shared/format-size.ts'
import { DOCUMENT_LIMIT, isContentType } from '../../../../shared/schemas/document.ts'
import { FormPanel } from '../../../parts/forms/form-panel.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Failure } from '../../../ui/failure.tsx'
import { focusNext } from '../../../ui/fields/focus-next.ts'
import { MonoInput } from '../../../ui/fields/mono-fields.tsx'
import { type KeyValuePair, PairsInput, toMap } from '../../../ui/fields/pairs-input.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { ActionButton, IconButton } from '../../../ui/icon-buttons.tsx'
import styles from '../documents.module.css'
import { strings } from '../strings.ts'
import { chooseFiles, clearFiles, removeFile, useChosenFiles } from './chosen-files-store.ts'
import { uploadFiles } from './uploads-store.ts'

const t = strings.upload
const UNKNOWN = 'application/octet-stream'
const pairStrings = { key: t.key, value: t.value, add: t.addPair, remove: t.removePair }

type UploadFormValues = {
  /** The content type of the files; null for each file's own type. */
  readonly type: string | null
  readonly names: boolean
  readonly pairs: readonly KeyValuePair[]
}

type Props = { readonly onClose: () => void; readonly onSent: () => Promise<void> }

/** Chooses files with type and metadata. The upload itself continues next to the list. */
export function UploadForm({ onClose, onSent }: Props) {
  const { files } = useChosenFiles()
  useEffect(() => clearFiles, [])
  const [only] = files
  const isOne = files.length === 1
  const form = useForm<UploadFormValues, void>({
    initial: { type: null, names: true, pairs: [] },
    getUnsavedInput: ({ type, pairs }) => ({ type, pairs, files: files.map(({ name }) => name) }),
    check: (values) => validateUpload(files, values),
    async send({ type, names, pairs }) {
      uploadFiles(
        files.map((file) => ({
          file,
          content_type: (isOne && type?.trim()) || file.type || UNKNOWN,
          metadata: { ...(names && { name: file.name }), ...toMap(pairs) },
        })),
      )
    },
    onDone: onSent,
  })
  const { values, change, errors } = form
  return (
    <FormPanel form={form} title={t.title} action={t.act(files.length)} onClose={onClose}>
      <fieldset className={styles.uploadFiles} data-list>
        <legend>{t.files}</legend>
        {files.length > 0 && (
          <ul>
            {files.map((file) => (
              <li key={`${file.name} ${file.size} ${file.lastModified}`}>
                <Icon name="document" size={14} />
                <span className="clip">{file.name}</span>
                <span className="faint">{formatSize(file.size)}</span>
                <IconButton
                  icon="close"
                  data-list-button
                  label={t.removeFile(file.name)}
                  onClick={(event) => {
                    focusNext(event.currentTarget)
                    removeFile(file)
                  }}
                />
              </li>
            ))}
          </ul>
        )}
        <div className={styles.uploadChoose}>
          <FileButton multiple onChange={chooseFiles}>
            {(props) => <ActionButton label={t.choose} data-list-button {...props} />}
          </FileButton>
          <span className="faint">{t.drop}</span>
        </div>
        {errors.files !== undefined && <Failure>{errors.files}</Failure>}
      </fieldset>
      {isOne ? (
        <MonoInput
          label={t.type}
          description={t.typeHelp}
          value={values.type ?? (only?.type || UNKNOWN)}
          error={errors.type ?? errors.content_type}
          onChange={(event) => change({ type: event.currentTarget.value })}
        />
      ) : (
        files.length > 1 && <p className="note">{t.typeEach}</p>
      )}
      <Checkbox
        label={t.names}
        description={t.namesHelp}
        checked={values.names}
        onChange={(event) => change({ names: event.currentTarget.checked })}
      />
      <PairsInput
        label={t.metadata}
        pairs={values.pairs}
        onChange={(pairs) => change({ pairs })}
        labels={pairStrings}
        error={errors.metadata}
      />
    </FormPanel>
  )
}

function validateUpload(
  files: readonly File[],
  { type, names, pairs }: UploadFormValues,
): Record<string, string> {
  const large = files.find(({ size }) => size > DOCUMENT_LIMIT)
  const metadata = { ...(names && { name: '' }), ...toMap(pairs) }
  const isLong = Object.entries(metadata).some(([key, value]) => key.length > 200 || value.length > 2000)
  return {
    ...(files.length === 0 && { files: t.noFiles }),
    ...(large && { files: t.tooLarge(large.name) }),
    ...(files.length === 1 && type !== null && !isContentType(type.trim()) && { type: t.badType }),
    ...((isLong || Object.keys(metadata).length > 50) && { metadata: t.badMetadata }),
  }
}
