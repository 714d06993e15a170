"""HTTP API and pages of classroom rooms."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from lnviz.rooms.hub import RoomHub
from lnviz.web.assets import base_path
from lnviz.web.payload_service import PayloadService
from lnviz.web.rooms import converters
from lnviz.web.rooms.pages import RoomPages, phone_error_page, remote_error_page
from lnviz.web.rooms.participants import ParticipantEndpoints
from lnviz.web.rooms.presenters import PresenterEndpoints
from lnviz.web.rooms.room_service import RoomService

converters.register()


def routes(hub: RoomHub, payloads: PayloadService) -> list[BaseRoute]:
    """Return all routes of classroom rooms, below `server.baseUrlPath`."""
    service = RoomService(hub)
    participants = ParticipantEndpoints(service)
    presenters = PresenterEndpoints(service, payloads)
    pages = RoomPages(service, presenters)
    endpoint, room = service.endpoint, base_path() + "/rooms/{code:code}"
    vote = room + "/polls/{poll:number}/{round:number}"
    second = room + "/questions/{question:number}/second"
    return [
        Route(base_path() + "/join", pages.join_page),
        Route(base_path() + "/{code:typed}", endpoint(pages.phone_page, phone_error_page)),
        Route(base_path() + "/rooms", endpoint(presenters.open_room), methods=["POST"]),
        Route(room, endpoint(presenters.delete), methods=["DELETE"]),
        Route(room + "/seat", endpoint(participants.join), methods=["POST"]),
        Route(room + "/state", endpoint(participants.state)),
        Route(room + "/events", endpoint(participants.events)),
        Route(vote, endpoint(participants.vote), methods=["PUT"]),
        Route(room + "/signal", endpoint(participants.signal), methods=["POST"]),
        Route(room + "/do", endpoint(presenters.command), methods=["POST"]),
        Route(room + "/rehearse", endpoint(presenters.toggle_simulated), methods=["POST"]),
        Route(room + "/remote", endpoint(pages.create_remote_link), methods=["POST"]),
        Route(room + "/remote", endpoint(pages.remote_page, remote_error_page)),
        Route(room + "/remotes", endpoint(pages.request_remote), methods=["POST"]),
        Route(room + "/remotes", endpoint(pages.remote_status)),
        Route(room + "/questions", endpoint(participants.list_questions)),
        Route(room + "/questions", endpoint(participants.ask_question), methods=["POST"]),
        Route(second, endpoint(participants.second), methods=["PUT"]),
        Route(room + "/questions", endpoint(presenters.hide_question), methods=["PATCH"]),
        Route(room + "/networks", endpoint(presenters.networks)),
        Route(room + "/networks", endpoint(presenters.block_network), methods=["POST"]),
        Route(room + "/clear", endpoint(presenters.clear), methods=["POST"]),
        Route(room + "/addresses", endpoint(presenters.join_urls)),
        Route(room + "/qr.svg", endpoint(presenters.qr_code)),
        Route(room + "/wifi", endpoint(presenters.wifi_qr_code), methods=["POST"]),
        Route(room + "/answers.csv", endpoint(presenters.answers_csv)),
    ]
