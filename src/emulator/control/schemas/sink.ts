import { dictionary, list, nullable } from '../../../service/contract/pydantic/containers.js'
import { defaulted, required } from '../../../service/contract/pydantic/fields.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { boolean, number, string } from '../../../service/contract/pydantic/scalars.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { controlQuery, upTo } from './body-and-query.js'

export const openedSink = model('OpenedSink', {
  url: required(string, { description: 'The address of the sink.' }),
})
export const sinkFilter = controlQuery({
  limit: upTo(10_000, 10_000, 'Returns only the latest records.'),
  wait: defaulted(boolean, () => false, {
    description: 'Waits for the deliveries under way, for two seconds of real time at most.',
  }),
})
export const sinkRecords = model('SinkRecords', {
  records: list(
    model('SinkRecord', {
      id: required(string, { description: 'The id of the record.' }),
      at: required(string, { description: 'When it arrived.' }),
      method: required(string, { description: 'The HTTP method.' }),
      path: required(string, { description: 'The path, with its query.' }),
      headers: required(dictionary(string), { description: 'The headers.' }),
      body: required(string, { description: 'The body as text.' }),
      body_base64: required(string, { description: 'The bytes of the body.' }),
      verdict: required(string, { description: 'What the sink says about the signature.' }),
      delivery_id: required(nullable(string), {
        description: 'The delivery of the emulator. Null for a request of another sender.',
      }),
      diagnosis: required(nullable(string), { description: 'What is wrong with the signature.' }),
      duplicate_of: required(nullable(string), {
        description: 'The first record with the same delivery id.',
      }),
      same_bytes_as: required(nullable(string), {
        description: 'The first record with the same bytes, if the delivery has no id.',
      }),
      latency: required(nullable(number), {
        description: 'Milliseconds between the event and the arrival, if the event is known.',
      }),
    }),
  ),
})

/** A delivery that the sink received. */
export type SinkRecord = Infer<typeof sinkRecords>['records'][number]
