import { Box } from '@mantine/core'
import { newWebhook } from '../../../shared/schemas/webhook.ts'
import { useSession } from '../../parts/connection/session.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { host } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { toHref } from '../../parts/navigation/route-text.ts'
import { Caution } from '../../ui/failure.tsx'
import { strings } from './strings.ts'

const t = strings.notAllowed

/** Says that events may not be sent to this URL, and how to allow it. Renders nothing for an invalid URL. */
export function NotAllowed({ url }: { url: string }) {
  const isUrl = newWebhook.shape.url.safeParse(url).success
  // Checks again whenever the allowed destinations change.
  const destinations = useSession(({ status }) => status?.settings.destinations)
  const { value } = useLoaded(async () => (isUrl ? (await host.mayCall({ url })).allowed : true), {
    about: `${url} ${JSON.stringify(destinations)}`,
    wait_ms: 200,
  })
  if (value !== false) return null
  return (
    <Box mt={8}>
      <Caution>
        {t.text(new URL(url).hostname)} <LinkButton to={toHref('settings', 'destinations')} label={t.open} />
      </Caution>
    </Box>
  )
}
