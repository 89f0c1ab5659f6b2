import { Progress } from '@mantine/core'
import { formatSize } from '../../../../shared/format-size.ts'
import { describeError } from '../../../parts/messages/describe-error.ts'
import { Failure } from '../../../ui/failure.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { ActionButton, IconButton } from '../../../ui/icon-buttons.tsx'
import styles from '../documents.module.css'
import { strings } from '../strings.ts'
import { endUpload, retryUpload, useUploads } from './uploads-store.ts'

const t = strings.uploads

/** Uploads in progress, and failed ones with the reason. */
export function Uploads() {
  const { uploads } = useUploads()
  if (uploads.length === 0) return null
  return (
    <ul className={styles.uploads} aria-label={t.label}>
      {uploads.map(({ key, file, sent, state, problem }) => (
        <li key={key}>
          <Icon name="document" size={14} />
          <span className={`clip ${styles.uploadsName}`}>{file.name}</span>
          {state === 'failed' ? (
            <>
              <Failure>{describeError(problem)}</Failure>
              <ActionButton label={t.again} size="compact-xs" onClick={() => retryUpload(key)} />
            </>
          ) : (
            <>
              <Progress
                value={file.size === 0 ? 0 : (sent / file.size) * 100}
                size="sm"
                aria-label={t.progress(file.name)}
              />
              <span className={`faint ${styles.uploadsSent}`}>
                {state === 'waiting' ? t.waiting : t.sent(formatSize(sent), formatSize(file.size))}
              </span>
            </>
          )}
          <IconButton
            icon="close"
            label={(state === 'failed' ? t.dismiss : t.cancel)(file.name)}
            onClick={() => endUpload(key)}
          />
        </li>
      ))}
    </ul>
  )
}
