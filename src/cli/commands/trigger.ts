import { eventTypes } from '../../service/scenario/event-types.js'
import { command } from '../command.js'
import { option, requiredArgument } from '../options/declare.js'
import { inNoGroup } from '../options/serve.js'
import { anyText, artifactVersion, oneOf, readValue, webUrl, webhookSecret } from '../values.js'
import { RUN_STATES } from '../../service/scenario/run-states.js'

const eventType = oneOf(eventTypes)

export const trigger = command({
  name: 'trigger',
  argument: {
    ...requiredArgument('event', eventType, {
      describe: 'The event, in upper or lower case',
      takes: 'an event',
    }),
    read: (name, given) => readValue(name, eventType, (given as string).toUpperCase()),
  },
  describe: 'Send an event to a webhook receiver',
  examples: [
    [
      'trigger ADD_ARTIFACT_ALIAS --url http://127.0.0.1:8080/hooks --alias production',
      'send one event to a receiver',
    ],
    [
      'trigger RUN_STATE --emulator http://127.0.0.1:4600 --state failed',
      'let it happen in a running emulator',
    ],
  ],
  exits: '1 if the delivery fails, or if no automation matches the event',
  options: {
    url: option(webUrl, { describe: 'URL to send the event to' }),
    emulator: {
      ...option(webUrl, {
        describe: 'Running emulator in which the event happens, instead of --url',
      }),
      conflicts: ['url', 'secret', 'seed'],
    },
    to: {
      ...option(anyText('a name'), { describe: 'Webhook that gets the event, with --emulator' }),
      conflicts: ['url'],
    },
    secret: option(webhookSecret, {
      describe: 'Secret that signs the delivery',
      defaultDescription: 'derived from the seed, and printed',
    }),
    ...inNoGroup('seed'),
    entity: option(anyText('a name'), { describe: 'Entity of the event' }),
    project: option(anyText('a name'), { describe: 'Project of the event' }),
    registry: option(anyText('a name'), { describe: 'Registry the event belongs to (optional)' }),
    collection: option(anyText('a name'), { describe: 'Collection of the artifact' }),
    'artifact-version': option(artifactVersion, { describe: 'Version of the artifact' }),
    alias: option(anyText('an alias'), { describe: 'Alias that was added' }),
    tag: option(anyText('a tag'), { describe: 'Tag that was added' }),
    author: option(anyText('a user'), { describe: 'User who caused the event' }),
    run: option(anyText('a name'), { describe: 'Name of the run' }),
    state: option(oneOf([...RUN_STATES]), { describe: 'State of the run' }),
  },
})
