"""Rooms of a class over HTTP: the teacher's commands, the students' answers, streams, pages."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from lnviz.rooms.hub import Live
from lnviz.web.assets import base_path
from lnviz.web.payload_service import PayloadService
from lnviz.web.rooms import converters
from lnviz.web.rooms.endpoints import Access
from lnviz.web.rooms.pages import Pages, phone_told, remote_told
from lnviz.web.rooms.participants import Students
from lnviz.web.rooms.presenters import Teachers

converters.register()


def routes(live: Live, payloads: PayloadService) -> list[BaseRoute]:
    """Return all routes of rooms, below `server.baseUrlPath`."""
    access = Access(live)
    students, teachers = Students(access), Teachers(access, payloads)
    pages = Pages(access, teachers)
    told, room = access.answering, base_path() + "/rooms/{code:code}"
    vote = room + "/polls/{poll:number}/{round:number}"
    return [
        Route(base_path() + "/join", pages.join),
        Route(base_path() + "/{code:typed}", told(pages.phone, phone_told)),
        Route(base_path() + "/rooms", told(teachers.open), methods=["POST"]),
        Route(room, told(teachers.delete), methods=["DELETE"]),
        Route(room + "/seat", told(students.seat), methods=["POST"]),
        Route(room + "/state", told(students.state)),
        Route(room + "/events", told(students.events)),
        Route(vote, told(students.vote), methods=["PUT"]),
        Route(room + "/signal", told(students.signal), methods=["POST"]),
        Route(room + "/do", told(teachers.do), methods=["POST"]),
        Route(room + "/rehearse", told(teachers.rehearse), methods=["POST"]),
        Route(room + "/remote", told(pages.invite), methods=["POST"]),
        Route(room + "/remote", told(pages.remote, remote_told)),
        Route(room + "/addresses", told(teachers.addresses)),
        Route(room + "/qr.svg", told(teachers.picture)),
        Route(room + "/wifi", told(teachers.wifi), methods=["POST"]),
        Route(room + "/answers.csv", told(teachers.table)),
    ]
