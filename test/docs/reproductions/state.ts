import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { startReceiver, SECRET } from '../../support/receiver.js'
import { errorOf, type Reproductions } from './reproduction.js'

const deploying = (url: string): ScenarioInput => ({
  name: 'deploying',
  secrets: { DEPLOY_SECRET: SECRET },
  webhooks: [{ name: 'deploy', url, secret: 'DEPLOY_SECRET' }],
  automations: [{ name: 'tell', webhook: 'deploy', event: 'RUN_STATE' }],
})

export const state: Reproductions = {
  'Failed to read the snapshot: it is damaged': async () => {
    const emulator = createEmulator()
    await emulator.jobs.start({ model: 'poet' })
    const snapshot = await emulator.snapshot()
    const edited = { ...snapshot, records: snapshot.records.slice(1) }
    const said = await errorOf(() => createEmulator({ snapshot: edited }))
    return { said, isFixed: createEmulator({ snapshot }).job().model.name === 'poet' }
  },

  missing: async () => {
    const { url, received } = await startReceiver()
    const emulator = createEmulator({ scenario: deploying(url) })
    const restored = createEmulator({ snapshot: await emulator.snapshot({ secrets: false }) })
    const send = async (): Promise<boolean> => {
      await restored.jobs.start({ model: 'poet' })
      await restored.settle()
      return received.at(-1)!.valid
    }
    const isUnsigned = !(await send()) && received[0]!.headers['x-service-signature'] === undefined
    const said = isUnsigned ? 'missing' : 'signed'
    restored.webhooks.setSecret('DEPLOY_SECRET', SECRET)
    return { said, isFixed: await send() }
  },
}
