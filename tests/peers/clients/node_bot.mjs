// The official Node client, unmodified, as a bot that the peer tests drive by what they write to it.
// It prints one JSON object a line. Words it knows: "refuse once" (its handler throws the first time),
// "hold" (its handler waits for a line on standard input), "talk" (it sends, replies, lists and gets).
import readline from 'node:readline';
import * as lark from '@larksuiteoapi/node-sdk';

const [domain, appId, appSecret] = process.argv.slice(2);
const client = new lark.Client({ appId, appSecret, domain, loggerLevel: lark.LoggerLevel.error });
const lines = readline.createInterface({ input: process.stdin });
const refused = new Set();

const say = (object) => process.stdout.write(`${JSON.stringify(object)}\n`);
const nextLine = () => new Promise((resolve) => lines.once('line', resolve));
const text = (words) => JSON.stringify({ text: words });

async function talk(message) {
  const sent = await client.im.v1.message.create({
    params: { receive_id_type: 'chat_id' },
    data: { receive_id: message.chat_id, msg_type: 'text', content: text('sent'), uuid: 'node-1' },
  });
  const replied = await client.im.v1.message.reply({
    path: { message_id: message.message_id },
    data: { msg_type: 'text', content: text('replied') },
  });
  const listed = await client.im.v1.message.list({
    params: { container_id_type: 'chat', container_id: message.chat_id, page_size: 50 },
  });
  const got = await client.im.v1.message.get({ path: { message_id: replied.data.message_id } });
  say({
    talked: {
      sent: sent.data.message_id,
      replied: replied.data.message_id,
      listed: listed.data.items.map((item) => item.message_id),
      got: JSON.parse(got.data.items[0].body.content).text,
    },
  });
}

async function receive({ message }) {
  const words = JSON.parse(message.content).text;
  say({ received: words, message_id: message.message_id });
  if (words === 'refuse once' && !refused.has(message.message_id)) {
    refused.add(message.message_id);
    throw new Error('refused once');
  }
  if (words === 'hold' && !refused.has(message.message_id)) {
    refused.add(message.message_id);
    await nextLine();
  }
  if (words === 'talk') {
    talk(message).catch((error) => say({ failed: String(error) }));
  }
}

const eventDispatcher = new lark.EventDispatcher({ loggerLevel: lark.LoggerLevel.error }).register({
  'im.message.receive_v1': receive,
});
new lark.WSClient({ appId, appSecret, domain, loggerLevel: lark.LoggerLevel.error }).start({ eventDispatcher });
