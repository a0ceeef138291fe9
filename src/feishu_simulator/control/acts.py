"""Acting as a person through the control API, and reading what was said."""

from feishu_simulator.control.act import Asked, Json, UnknownError
from feishu_simulator.control.forms import MessageForm, ReactionForm
from feishu_simulator.people import Speech


def act(asked: Asked) -> Json:
    """Say, edit, recall or delete a message as a person."""
    form = asked.form(MessageForm)
    user_id = asked.person(form.user)
    people = asked.platform.people
    if form.recall is not None:
        message = people.recall(form.recall, how=form.recall_type)
    elif form.delete is not None:
        message = people.delete(form.delete)
    elif form.edit is not None:
        message = people.edit(user_id, form.edit, _speech(form))
    else:
        message = people.say(user_id, _chat_id(asked, form, user_id), _speech(form))
    return asked.platform.views.message(message)


def react(asked: Asked) -> Json:
    """Put an emoji on a message as a person, or take it off."""
    form = asked.form(ReactionForm)
    user_id = asked.person(form.user)
    if form.remove:
        asked.platform.people.unreact(user_id, form.message, form.emoji)
        return {}
    reaction = asked.platform.people.react(user_id, form.message, form.emoji)
    return asked.platform.views.reaction(reaction)


def messages(asked: Asked) -> Json:
    """Return everything that was ever said in a chat, or the messages a reader sees with `visible=true`."""
    chat_id = asked.query.get("chat_id", "")
    if chat_id not in asked.platform.directory.chats:
        raise UnknownError(chat_id)
    said = asked.platform.messages.in_chat(chat_id)
    if asked.query.get("visible") == "true":
        said = asked.platform.visible(chat_id)
    return {"messages": [asked.platform.views.message(message) for message in said]}


def _chat_id(asked: Asked, form: MessageForm, user_id: str) -> str:
    if form.chat is not None:
        return form.chat
    if form.app is not None:
        return asked.platform.conversation.private_chat(user_id, asked.app(form.app)).chat_id
    if form.reply_to is not None:
        return asked.platform.messages.find(form.reply_to).chat_id
    raise ValueError("name the chat, or the app whose private chat is meant")


def _speech(form: MessageForm) -> Speech:
    given = [item for item in (form.text, form.post, form.image, form.file) if item is not None]
    if len(given) != 1:
        raise ValueError("give exactly one of text, post, image and file")
    upload = form.image or form.file
    return Speech(
        text=form.text,
        post=form.post,
        upload=upload.content() if upload else None,
        upload_kind="image" if form.image else "file",
        upload_name=upload.name if upload else "file",
        reply_to=form.reply_to,
        in_thread=form.in_thread,
    )
