import { expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { startReceiver } from '../support/receiver.js'

// Vitest fails if an error of the delivery goes nowhere, which would end the command.
it.each([7000, 100_000])(
  'the emulator survives a receiver that refuses a delivery, with a secret of %i characters',
  async (length) => {
    const receiver = await startReceiver((response, { headers }) => {
      response.writeHead(500).end(`no: ${String(headers['x-service-signature'])}`)
    })
    await using emulator = createEmulator({ webhooks: [receiver.url] })
    // Words that differ, so that nothing of the text repeats.
    const words = Array.from({ length: length / 6 }, (_, index) => `w${index}`.padEnd(5, 'x'))
    const certificate = words.join(' ')
    emulator.webhooks.add({ secrets: { CERTIFICATE: certificate } })
    await emulator.trigger('RUN_STATE', { state: 'failed' })
    await emulator.webhooks.idle()
    expect(emulator.trace()).toMatch(/RUN_STATE failed to receiver: .*500/)
    expect(emulator.trace()).not.toContain(certificate.slice(0, 100))
  },
)
