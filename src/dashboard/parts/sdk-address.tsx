import type { ComponentChildren } from 'preact'
import { useLive } from '../data/use-live.js'
import { CopyText } from './copy-button.js'
import { Copyable, LOCAL_KEY } from './snippets.js'
import { Facts } from './facts.js'

interface SdkAddressProps {
  /** Code that does the same without the SDK, for an address of the emulator. */
  code?: (origin: string) => string
}

/** Where the SDK for runs and artifacts finds this emulator. */
export function SdkAddress({ code }: SdkAddressProps): ComponentChildren {
  const info = useLive((live) => live.info)
  if (!info) return null
  const { origin } = new URL(info.training_url)
  const text = code?.(origin)
  return (
    <div class="snippets stack">
      <Facts
        of={{
          'Base URL of the SDK': <Copyable text={origin} what="the base URL" />,
          'API key': (
            <>
              <Copyable text={LOCAL_KEY} what="the key" />{' '}
              <span class="faint">The SDK refuses keys of fewer than 40 characters.</span>
            </>
          ),
        }}
      />
      {text !== undefined && <CopyText title="curl" text={text} what="the code" />}
    </div>
  )
}
