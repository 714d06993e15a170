"""Rooms of a class over HTTP: the teacher's commands, the students' answers, streams, pages."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from lnviz.rooms.hub import RoomHub
from lnviz.web.assets import base_path
from lnviz.web.payload_service import PayloadService
from lnviz.web.rooms import converters
from lnviz.web.rooms.endpoints import RoomService
from lnviz.web.rooms.pages import RoomPages, phone_error_page, remote_error_page
from lnviz.web.rooms.participants import ParticipantEndpoints
from lnviz.web.rooms.presenters import PresenterEndpoints

converters.register()


def routes(live: RoomHub, payloads: PayloadService) -> list[BaseRoute]:
    """Return all routes of rooms, below `server.baseUrlPath`."""
    access = RoomService(live)
    students, teachers = ParticipantEndpoints(access), PresenterEndpoints(access, payloads)
    pages = RoomPages(access, teachers)
    told, room = access.answering, base_path() + "/rooms/{code:code}"
    vote = room + "/polls/{poll:number}/{round:number}"
    return [
        Route(base_path() + "/join", pages.join_page),
        Route(base_path() + "/{code:typed}", told(pages.phone_page, phone_error_page)),
        Route(base_path() + "/rooms", told(teachers.open_room), methods=["POST"]),
        Route(room, told(teachers.delete), methods=["DELETE"]),
        Route(room + "/seat", told(students.join), methods=["POST"]),
        Route(room + "/state", told(students.state)),
        Route(room + "/events", told(students.events)),
        Route(vote, told(students.vote), methods=["PUT"]),
        Route(room + "/signal", told(students.signal), methods=["POST"]),
        Route(room + "/do", told(teachers.command), methods=["POST"]),
        Route(room + "/rehearse", told(teachers.toggle_simulated), methods=["POST"]),
        Route(room + "/remote", told(pages.create_remote_link), methods=["POST"]),
        Route(room + "/remote", told(pages.remote_page, remote_error_page)),
        Route(room + "/addresses", told(teachers.join_urls)),
        Route(room + "/qr.svg", told(teachers.qr_code)),
        Route(room + "/wifi", told(teachers.wifi_qr_code), methods=["POST"]),
        Route(room + "/answers.csv", told(teachers.answers_csv)),
    ]
